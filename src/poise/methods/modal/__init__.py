"""modal: long-horizon planning in modal space (Jain & Liu 2011, "Modal-Space Control for Articulated Characters")."""

from poise.methods.modal.departures import DEPARTURES
from poise.methods.modal.performer import Modal
from poise.methods.modal.torques import ModalTorques

__all__ = ["DEPARTURES", "Modal", "ModalTorques"]
