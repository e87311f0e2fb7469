"""Systems of linear equations in whole numbers, solved exactly."""
