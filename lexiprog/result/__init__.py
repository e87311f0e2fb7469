"""What was found: frozen copies that can be asked, shown, saved and connected again."""
