"""The paper's section 4 by one command: ``python -m lexiprog_boost.experiments <study>``.

    cells/    what is measured: shared_trees < contenders · facts < cell, kept one by one: store <
              workers
    study     a list of cells and what they are measured with
    loading   the data sets of a study
    studies   the paper's five studies, and that of a user's own table
    measure   a study's cells into its store
    report/   what is made of them: results < statistics < tables/ < figures/ < writing ·
              overview
    __main__  the command

Modules import from rooms above their own only. A study's finished cells are kept on disk, so an
interrupted run goes on where it ended, and all tables are made from them in the order of their
keys, whatever the order they were measured in.
"""
