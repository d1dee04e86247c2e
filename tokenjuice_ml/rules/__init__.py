"""Rules: schema, layers, matching and the reduction they describe.

match.find(command, output, settings)   the rule for an output, or None
reduce.apply(rule, text, context)       the output cut by it, or None
load.load(cwd)                          all rules that hold there
"""
