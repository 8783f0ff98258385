"""The documentation as a site: pages are staged, built by mkdocs, and checked."""
