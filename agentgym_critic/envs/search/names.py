"""Words that generated worlds are made of."""

from __future__ import annotations

__all__ = ["ADJECTIVES", "FIRST_NAMES", "KINDS_OF_WORK", "NOUNS", "PROFESSIONS", "SYLLABLES"]

FIRST_NAMES = ("Ada", "Bruno", "Clara", "Dario", "Edith", "Felix", "Greta", "Hugo", "Irene", "Jonas", "Klara", "Leo",
               "Mira", "Nils", "Olga", "Paul", "Rosa", "Sven", "Tilda", "Viktor")  # fmt: skip
PROFESSIONS = ("a botanist", "a cellist", "a composer", "a historian", "a novelist", "a painter", "a photographer",
               "a poet", "a sculptor", "a surgeon", "an architect", "an engineer")  # fmt: skip
KINDS_OF_WORK = ("a ballad", "a comedy", "a fresco", "a novel", "a play", "a poem", "a symphony", "an opera")
ADJECTIVES = ("Amber", "Broken", "Crimson", "Distant", "Empty", "Frozen", "Gentle", "Hidden", "Iron", "Last", "Narrow",
              "Pale", "Quiet", "Restless", "Silent", "Twisted", "Velvet", "Wandering")  # fmt: skip
NOUNS = ("Bridge", "Candle", "Daughter", "Echo", "Forest", "Garden", "Harbour", "Island", "Journey", "Kingdom",
         "Lantern", "Mirror", "Night", "Orchard", "Promise", "River", "Shadow", "Tower")  # fmt: skip
SYLLABLES = ("bel", "cor", "dra", "fen", "gal", "hal", "kel", "lor", "mar", "nor", "pel", "quen", "rav", "sel", "tor",
             "ul", "vel", "wen", "yar", "zan")  # fmt: skip
