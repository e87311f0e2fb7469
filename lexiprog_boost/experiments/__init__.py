"""The paper's section 4 by one command: ``python -m lexiprog_boost.experiments <study>``.

    contenders · facts · store < cells · run < studies < measure      what is measured, and kept
    choose · statistics · paper < tables · figures < report           what is made of it

A study's finished cells are kept on disk (`store`), so an interrupted run goes on where it ended,
and all tables are made from them in the order of their keys, whatever the order they were
measured in.
"""
