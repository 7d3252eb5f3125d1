"""Board games of two sides: tic-tac-toe, Connect Four, Hex, with one minimax and one tree search for all."""

from __future__ import annotations

from agentgym_critic.envs.boards.connectfour import ConnectFour, ConnectFourEnv
from agentgym_critic.envs.boards.env import BoardEnv
from agentgym_critic.envs.boards.game import START, Game
from agentgym_critic.envs.boards.hex import Hex, HexEnv
from agentgym_critic.envs.boards.mcts import search
from agentgym_critic.envs.boards.minimax import analyse
from agentgym_critic.envs.boards.tictactoe import TicTacToe, TicTacToeEnv

__all__ = [
    "START",
    "BoardEnv",
    "ConnectFour",
    "ConnectFourEnv",
    "Game",
    "Hex",
    "HexEnv",
    "TicTacToe",
    "TicTacToeEnv",
    "analyse",
    "search",
]
