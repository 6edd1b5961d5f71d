"""Drives the cabinet with a host that we did not write: drive.py PEER FOLDER PORT. One JSON line on the standard output for each call.

The calls come as one JSON list on the standard input: [name, [arguments], {keywords}].
"""

import importlib
import json
import logging
import os
import sys

peer, folder, port = sys.argv[1:4]
sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), folder]
os.chdir(folder)

import serial  # noqa: E402  ours: the framed stream


def plain(value):
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, (bool, int, float, str)) or value is None:
        return value
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return list(value) if hasattr(value, "__iter__") else str(value)


def saspy_host():
    sas = importlib.import_module("sas")
    host = sas.Sas(port=port, timeout=0.4, poll_address=0x82, asset_number="e9030000", debug_level="CRITICAL")
    # It waits for the machine to send its own address.
    host.start()
    host.log.setLevel(logging.CRITICAL)
    return host


def sas_comm_py_host():
    module = importlib.import_module("sas_comm_py")

    class Host(module.SlotMachine):
        # The library calls this when it starts and leaves it to its user.
        def get_serial_number(self):
            return bytes.fromhex("".join(self.write_type_R(0x54, following_length=True).data[1:])).decode()

    return Host(com_port=port)


def main():
    host = {"saspy": saspy_host, "sas_comm_py": sas_comm_py_host}[peer]()
    cable = serial.cable(port)
    for name, arguments, keywords in [["", [], {}]] + json.load(sys.stdin):
        if name:
            cable.sent.clear()
            cable.received.clear()
        outcome = {"call": name or "start"}
        try:
            outcome["value"] = plain(getattr(host, name)(*arguments, **keywords)) if name else plain(getattr(host, "serial_number", None))
        except Exception as error:  # what a peer cannot do is a finding, not our fault
            outcome["error"] = type(error).__name__ + ": " + str(error)
        outcome["sent"] = "".join("%02x%s" % (byte, "*" if ninth else "") for byte, ninth in cable.sent)
        outcome["received"] = cable.received.hex()
        print(json.dumps(outcome), flush=True)


main()
