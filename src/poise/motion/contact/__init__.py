"""Contacts: which points of feet and hands touch the ground, which hands hold something, when; how it is found out."""
