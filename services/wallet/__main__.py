"""`python -m services.wallet`: the wallet service as a process."""

from services.wallet.app import WalletApp
from shared.runtime.main import main

if __name__ == "__main__":
    main(WalletApp)
