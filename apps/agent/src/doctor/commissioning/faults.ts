/** Everything that the doctor can find wrong with a machine: its name, and what to check, in words for the person at the machine. docs/operating/commands.md lists them. */
export const FAULTS = {
  "folder.unwritable": "Give the agent's user a data folder that it may write, in DATA_FOLDER",

  "port.away":
    "Check the power and the cable of the front end or adapter, and its host and port, or its device, in the list of machines",
  "port.taken": "Another program or computer uses this line: end it there, because a line has one host",
  "port.foreign":
    "What answers there does not speak the framing of docs/hardware.md: correct host and port, or update the front end",
  "port.parity":
    "Use an adapter that sends mark and space parity (many USB adapters do not), or a front end that makes the ninth bit itself",
  "line.speed":
    "Set the front end or adapter to 19200 baud, and check that it is made for the machine's signal (RS-232, TTL or a current loop) and that the grounds are connected",
  "line.silent":
    "Check that the machine is on, that its menu has SAS switched on for this port (a machine may have three), that the cable is in that port, and that transmit and receive are not swapped",
  "line.wakeup":
    "The machine calls and does not receive its polls: check the wire from the host's transmit to the machine's receive, and that the adapter sends the ninth bit (mark and space parity; many USB adapters do not)",
  "line.torn":
    "The machine receives its address and not the rest of a poll: the adapter pauses behind the first byte or keeps the ninth bit set. Use another adapter, or a front end that makes the ninth bit itself",
  "line.address":
    "Write the machine's SAS address into the list of machines, or set this address in the machine's menu",
  "line.busy": "Wait until the machine has started, and leave its menu; then run the doctor again",
  "line.events":
    "Run the doctor without --look, which hands these events to the agent, or start the agent and look at its machine in the lobby",
  "line.errors":
    "Check both plugs of the cable, connect the grounds, shorten the cable, and lay it away from power and motors; an isolating front end helps",
  "line.pauses": "Choose the profile slow for this machine in the list of machines",

  "version.old": "Ask the machine's maker for a program with SAS 6.02: this version cannot move money",
  "polls.missing": "Ask the machine's maker for a program with these polls: without them the machine cannot be driven",
  "clock.wrong": "Set the machine's clock to the local time: it dates every transfer in the machine's own record",
  "meters.missing":
    "Ask the machine's maker for a program that reports these meters: without them nothing can be reconciled",
  "meters.denomination":
    "Set the accounting denomination in the machine's menu to the value that one credit really has, and clear no meters for it",
  "meters.cleared":
    "The machine's memory was cleared or its battery is empty: have a technician look at it, and compare its meters with the audit log before anybody plays",
  "meters.fell":
    "Meters never fall on a working machine: its memory was cleared or its battery is empty. Do not use it before a technician has looked",
  "meters.moving": "Somebody is playing at the machine: close it for guests and run the doctor again",
  "meters.drift":
    "The credit meter does not follow the other meters: compare both with the machine's audit menu and do not use it before they agree",
  "meters.still":
    "The machine played and its meters did not count it: let a technician switch on its cumulative meters, or ask its maker",

  "aft.missing":
    "Ask the machine's maker for a program with AFT (advanced funds transfer): without it no money can be moved",
  "aft.off": "Switch on AFT and in-house transfers, in both directions, in the machine's menu",
  "aft.asset": "Write the machine's asset number into the list of machines, or set this number in the machine's menu",
  "aft.noAsset": "Set an asset number in the machine's menu, or write assetNumber into the list of machines",
  "aft.unregistered":
    "Choose the profile registered for this machine in the list of machines, or let the machine's menu take transfers from a host that is not registered",
  "aft.limit":
    "Raise the transfer limit in the machine's menu, or write the machine's limit as maxTransfer into the list of machines",
  "aft.lock":
    "Allow the host to lock the machine in its AFT settings: without the lock a late command could move money behind a cash-out",
  "aft.refused": "Look at the machine's screen and into its AFT settings: the sentence has the machine's own reason",
  "aft.pending": "Look at the machine's screen, and wait until the transfer has ended before you run the doctor again",

  "state.blocked":
    "Look at the machine: a door, a tilt, a hand pay, a cash-out, a menu or a shutdown holds it, and the machine does not say which",
  "state.handPay": "A hand pay waits: pay it and reset it with the attendant's key",
  "state.door": "Close every door of the cabinet, the logic box and the bill acceptor, and check their switches",
  "state.tilt": "Clear the tilt at the machine; its screen says which part it is",
  "state.disabled": "The machine was disabled by a host or in its own menu: enable it",
  "state.outOfService": "The machine says that it is out of service: look at its screen and into its event log",
  "state.local": "Turn the key switch at the machine to remote, and check its two wires where it is",
  "disable.ignored":
    "The machine takes the command to stop and continues: allow host control in its communication menu",
  "enable.ignored": "The machine stays disabled: another host may hold it disabled, or its own menu does",

  "board.away": "Check the board's power and cable, and its host and port, or its device, in the list of machines",
  "board.silent":
    "Something takes the connection and no board answers: check the board's Modbus address (unit), its speed and parity, and that A and B of RS-485 are not swapped",
  "board.refused":
    "The board has no output or input of this number, or not this command: correct the numbers in the list of machines, or ask for the board's V2 firmware",
  "board.blind":
    "This board cannot report its outputs: describe it as flash-coil with readBack false in the list of machines, or ask for the board's V2 firmware",
  "button.stuck":
    "An output is on although nothing was pressed: end what else drives this board, else its relay sticks and the board must be replaced",
  "button.unwired": "Write the output of this button into buttons of the list of machines",
  "press.refused": "The machine or its button board refused the press for the reason above",
  "button.dead":
    "The press was sent and the machine did not react: check the wires from the board's output to the two contacts of this button, and that the output's number is right",
  "button.swapped":
    "The press did what another button does: two outputs are swapped, in the wires or in the list of machines",
  "button.short":
    "Write a longer pulseMs for this button into the list of machines, and have its worn contact replaced",
  "button.twice":
    "One press counted more than once: make the pulse shorter, and check that the relay and the button's contact open at once",
  "credit.none": "Put credit on the machine that is worth a few games, then run the doctor again",

  "picture.none":
    "Check the camera's or grabber's cable and power, and run the doctor without --machine for what is wrong with the device",
  "picture.dark":
    "The picture is black: switch the machine's screen on, take the lens cap off, or choose the other HDMI input",
  "picture.still":
    "The machine played and its picture did not change: it shows another machine, or it is frozen. Compare the picture in the report with the machine",
  "light.slow": "The picture follows the press too late: choose a faster format for the camera, or another grabber",

  "mark.away":
    "The mark could not be switched: keep its page open and in front on one screen that reaches this computer, or give this user the right to write the file of its light",
  "delay.unseen":
    "Put the mark where the camera sees it as large as it can, keep it still and away from other light, and run the doctor again",
  "delay.unsure":
    "Show the mark larger, keep it and the camera still, cover what else moves or flickers beside it, and run the doctor again",

  "machine.unreachable":
    "Check that the machine is on and that its cable is plugged in at both ends, then run the doctor again",
  "machine.silent":
    "The machine stopped answering in the middle of this step: check its cable and its power, then run the doctor again",
  "step.late": "The step took too long: look at the machine's screen for a message, then run the doctor again",
} as const satisfies Record<string, string>;
export type FaultName = keyof typeof FAULTS;
