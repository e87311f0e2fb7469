"""The paper's section 4 by one command: ``python -m lexiprog_boost.experiments <study>``.

    contenders · facts · store < cells · run < studies < measure      what is measured, and kept
    choose · paper · markdown < statistics < tables/ < figures/        what is made of it
    report < __main__                                                  what is written, and said

A study's finished cells are kept on disk (`store`), so an interrupted run goes on where it ended,
and all tables are made from them in the order of their keys, whatever the order they were
measured in.
"""
