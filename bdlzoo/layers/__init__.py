"""Layers that draw their own weights or structure; the first come with them."""
