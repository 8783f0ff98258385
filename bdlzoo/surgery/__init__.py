"""Operations on networks: walks, splits, conversion, stacking."""
