"""Small networks of every style through every door of the zoo.

A cell is one network through one door. `networks` holds the networks, `doors` what is
done to them, `checks` what `ok` means, and `cells` runs and judges.
"""
