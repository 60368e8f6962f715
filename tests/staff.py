"""Staff for tests of restrictions: one of each job that rules about wagers and cards."""

from shared.kernel.messages import Actor

SUPERVISOR = Actor("staff", "sue", "casino_supervisor")
MANAGER = Actor("staff", "max", "duty_manager")
INSPECTOR = Actor("staff", "ines", "inspector")
