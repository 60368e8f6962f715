"""`python -m services.table`: the table service as a process."""

from services.table.app import TableApp
from shared.runtime.main import main

if __name__ == "__main__":
    main(TableApp)
