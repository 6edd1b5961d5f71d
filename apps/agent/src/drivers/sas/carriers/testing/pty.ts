import { constants, openSync } from "node:fs";
import { ReadStream } from "node:tty";
import koffi from "koffi";

const ioctl = koffi.load(null).func("int ioctl(int, unsigned long, void*)");
const UNLOCK = 0x40045431;
const NUMBER = 0x80045430;

/** A pair of pseudo terminals: `device` for the carrier, `other` for the test. */
export function openPty(): { device: string; other: ReadStream } {
  const fd = openSync("/dev/ptmx", constants.O_RDWR | constants.O_NOCTTY);
  const word = Buffer.alloc(4);
  if (ioctl(fd, UNLOCK, word) !== 0 || ioctl(fd, NUMBER, word) !== 0) throw new Error("no pseudo terminal");
  return { device: `/dev/pts/${word.readUInt32LE()}`, other: new ReadStream(fd) };
}
