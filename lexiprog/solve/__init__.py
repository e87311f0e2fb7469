"""A hierarchy, stage by stage: run, judge, record what was held, explain what failed."""
