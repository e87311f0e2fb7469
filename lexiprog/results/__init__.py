"""What was found: frozen copies that can be read, shown, saved and bound again."""
