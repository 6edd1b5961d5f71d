"""The interface of pyserial, as far as the peers use it, over the framed nine-bit stream (docs/hardware.md).

The ninth bit of a character is what the parity of the port makes it: mark is 1, space is 0, even counts the bits of the byte, and a second
stop bit without parity reads as 1. The connection stays open while a host closes and reopens its port, as a cable does.
"""

import select
import socket
import time

PARITY_NONE, PARITY_EVEN, PARITY_ODD, PARITY_MARK, PARITY_SPACE = "N", "E", "O", "M", "S"
STOPBITS_ONE, STOPBITS_TWO = 1, 2
EIGHTBITS = 8

_cables = {}


class SerialException(IOError):
    pass


class _Cable:
    """One connection to the cabinet, and everything that went over it."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.first = None
        self.waiting = bytearray()
        self.sent = []
        self.received = bytearray()

    def pull(self, seconds):
        readable, _, _ = select.select([self.socket], [], [], max(0, seconds))
        if not readable:
            return False
        data = self.socket.recv(4096)
        if not data:
            raise SerialException("the cabinet has closed the line")
        for byte in data:
            if byte >= 0x80:
                self.first = byte
            elif self.first is not None:
                if self.first < 0x84:
                    character = (self.first & 1) << 7 | byte
                    self.waiting.append(character)
                    self.received.append(character)
                self.first = None
        return True

    def push(self, byte, ninth):
        self.sent.append((byte, ninth))
        self.socket.sendall(bytes([0x80 | ninth << 1 | byte >> 7, byte & 0x7F]))


def cable(port):
    if port not in _cables:
        _cables[port] = _Cable(port)
    return _cables[port]


class Serial:
    def __init__(self, port=None, baudrate=9600, bytesize=8, parity=PARITY_NONE, stopbits=1, timeout=None, **_):
        self.port = port
        self.baudrate = baudrate
        self.parity = parity
        self.stopbits = stopbits
        self.timeout = timeout
        self.is_open = False
        self.open()

    def open(self):
        self._cable = cable(self.port)
        self.is_open = True

    def close(self):
        self.is_open = False

    def flush(self):
        pass

    def reset_output_buffer(self):
        pass

    def reset_input_buffer(self):
        while self._cable.pull(0):
            pass
        self._cable.waiting.clear()

    def _ninth(self, byte):
        if self.parity == PARITY_NONE:
            return 1 if self.stopbits == STOPBITS_TWO else 0
        ones = bin(byte).count("1") & 1
        return {PARITY_MARK: 1, PARITY_SPACE: 0, PARITY_EVEN: ones, PARITY_ODD: 1 - ones}[self.parity]

    def write(self, data):
        if not self.is_open:
            raise SerialException("the port is closed")
        for byte in bytes(data):
            self._cable.push(byte, self._ninth(byte))
        return len(bytes(data))

    def read(self, size=1):
        end = None if self.timeout is None else time.monotonic() + self.timeout
        while len(self._cable.waiting) < size:
            left = 3600 if end is None else end - time.monotonic()
            if left <= 0 or not self._cable.pull(left):
                break
        taken = bytes(self._cable.waiting[:size])
        del self._cable.waiting[:size]
        return taken
