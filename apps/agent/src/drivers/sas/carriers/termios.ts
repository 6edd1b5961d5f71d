import koffi from "koffi";

/*
 * The few calls of the C library that Node does not have, for Linux on x86, ARM and RISC-V. Parity "mark" and "space" (CMSPAR) is how a
 * common UART sends the ninth bit; Node's serial packages do not offer it.
 */

/** struct termios: four flag words, the line discipline, 32 control characters, two speeds; some room to spare. */
const TERMIOS_BYTES = 128;
const OFFSET = { input: 0, output: 4, control: 8, local: 12, characters: 17 } as const;
const CHARACTER = { time: 5, least: 6 } as const;
const B19200 = 14;
const INPUT = { parityCheck: 0x10, parityMark: 0x08 } as const;
const CONTROL = { bits8: 0x30, receive: 0x80, parity: 0x100, odd: 0x200, noModem: 0x800, stick: 0x4000_0000 } as const;
const PARITY_BITS = CONTROL.parity | CONTROL.odd | CONTROL.stick;
const NOW = 0;
/** Waits until everything that was written has left the UART. */
const AFTER_OUTPUT = 1;
const AFTER_OUTPUT_FLUSHED = 2;
const EXCLUSIVE = 0x540c;

/** What the ninth bit of every character is. `none`: eight bits without parity, for the framed stream. */
export type NinthBit = "mark" | "space" | "none";

const PARITY: Readonly<Record<NinthBit, number>> = {
  mark: CONTROL.parity | CONTROL.stick | CONTROL.odd,
  space: CONTROL.parity | CONTROL.stick,
  none: 0,
};

export class NoNinthBit extends Error {
  constructor() {
    super("the port cannot send mark and space parity, which carries the ninth bit");
  }
}

const library = koffi.load(null);
const tcgetattr = library.func("int tcgetattr(int, void*)");
const tcsetattr = library.func("int tcsetattr(int, int, void*)");
const cfsetspeed = library.func("int cfsetspeed(void*, unsigned int)");
const ioctl = library.func("int ioctl(int, unsigned long, void*)");

/** The settings of one open serial port. All methods block for as long as the UART needs: never call them where presses are served. */
export class Termios {
  readonly #fd: number;
  readonly #bytes = Buffer.alloc(TERMIOS_BYTES);

  /** Makes the port raw: 19200 baud, eight bits, no flow control. Throws a sentence when it refuses. */
  constructor(fd: number, ninthBit: NinthBit) {
    this.#fd = fd;
    this.#call("read", tcgetattr(fd, this.#bytes));
    // With marks, a set ninth bit among cleared ones arrives as FFh 00h and the character.
    const input = ninthBit === "none" ? 0 : INPUT.parityCheck | INPUT.parityMark;
    this.#bytes.writeUInt32LE(input, OFFSET.input);
    this.#bytes.writeUInt32LE(0, OFFSET.output);
    this.#bytes.writeUInt32LE(0, OFFSET.local);
    this.#bytes.writeUInt32LE(
      (CONTROL.bits8 | CONTROL.receive | CONTROL.noModem | PARITY[ninthBit]) >>> 0,
      OFFSET.control,
    );
    this.#bytes[OFFSET.characters + CHARACTER.least] = 1;
    this.#bytes[OFFSET.characters + CHARACTER.time] = 0;
    this.#call("set the speed of", cfsetspeed(this.#bytes, B19200));
    const outcome = tcsetattr(fd, AFTER_OUTPUT_FLUSHED, this.#bytes);
    if (!this.#holds(ninthBit)) throw new NoNinthBit();
    this.#call("set", outcome);
  }

  /** The ninth bit of all characters from now on; those already written keep theirs. */
  setNinthBit(ninthBit: NinthBit): void {
    const control = this.#bytes.readUInt32LE(OFFSET.control) & ~PARITY_BITS;
    this.#bytes.writeUInt32LE((control | PARITY[ninthBit]) >>> 0, OFFSET.control);
    this.#call("change the parity of", tcsetattr(this.#fd, ninthBit === "mark" ? NOW : AFTER_OUTPUT, this.#bytes));
  }

  /** No other program may open the port. */
  takeAlone(): void {
    this.#call("keep others from", ioctl(this.#fd, EXCLUSIVE, null));
  }

  /** Ports that cannot do something take the settings all the same and leave it out. */
  #holds(ninthBit: NinthBit): boolean {
    const now = Buffer.alloc(TERMIOS_BYTES);
    this.#call("read", tcgetattr(this.#fd, now));
    return (now.readUInt32LE(OFFSET.control) & PARITY_BITS) >>> 0 === PARITY[ninthBit];
  }

  #call(what: string, outcome: number): void {
    if (outcome !== 0) throw new Error(`cannot ${what} the port (error ${koffi.errno()})`);
  }
}
