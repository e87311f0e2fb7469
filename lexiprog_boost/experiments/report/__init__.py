"""Reports: from a study's finished cells to tests, tables and figures beside the paper's own."""
