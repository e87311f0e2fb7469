"""The paper's section 4 by one command: ``python -m lexiprog_boost.experiments <study>``.

    methods                       what is compared, with its settings
    cell < study < studies        a method on a fold; a list of cells; the paper's five lists
    measure                       a study's missing cells, in worker processes, into its store
    results < statistics          from finished cells to scores, ranks and tests
    score_tables, rank_tables, model_tables, figures < writing     what is made of them
    __main__                      the command

A study's finished cells are kept on disk, so an interrupted run goes on where it ended, and all
tables are made from them in the order of their keys, whatever the order they were measured in.
"""
