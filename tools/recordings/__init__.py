"""What a checkout answers, reads and shows, as text: `python -m tools.recordings DIRECTORY`.

Record before and after a change that must change nothing, and compare the two directories with `diff -r`. Two runs of
one checkout are equal: the clock stands still, and what is drawn at random is drawn from a seed.
"""
