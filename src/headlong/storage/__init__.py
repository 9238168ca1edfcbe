"""Model files and what every component shares in reading and writing them."""
