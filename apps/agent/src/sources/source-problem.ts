import { constants } from "node:os";
import { AVERROR_EOF, AVERROR_INVALIDDATA, FFmpegError } from "node-av";
import type { InputSpec } from "./inputs.ts";

/** Why an input cannot be used. The message is one sentence on what is wrong and one on what to change; never a credential. */
export class SourceProblem extends Error {
  override readonly name = "SourceProblem";
}

const { errno } = constants;
/** FFmpeg's errors for answers of a server: the code as four letters. */
const answered = (code: string) =>
  -(0xf8 | (code.charCodeAt(0) << 8) | (code.charCodeAt(1) << 16) | (code.charCodeAt(2) << 24));
export const UNAUTHORIZED = answered("401");
export const FORBIDDEN = answered("403");
export const NOT_FOUND = answered("404");

type Explanation = readonly [what: string, change: string];

const EXPLANATIONS: Readonly<Record<number, Explanation>> = {
  [-errno.ENOENT]: ["does not exist", "Plug it in, or correct its name"],
  [-errno.ENODEV]: ["is not there any more", "Plug it in, or correct its name"],
  [-errno.ENXIO]: ["is not there any more", "Plug it in, or correct its name"],
  [-errno.EACCES]: ["may not be opened by this user", "Add the agent's user to the group of the device (video, audio)"],
  [-errno.EPERM]: ["may not be opened by this user", "Add the agent's user to the group of the device (video, audio)"],
  [-errno.EBUSY]: ["is used by another program", "End that program, or name another device"],
  [-errno.EINVAL]: ["does not take these settings", "Choose a size, rate and format that it has"],
  [-errno.ENOTTY]: ["is no such device", "Name a device that captures pictures"],
  [-errno.ECONNREFUSED]: ["refuses connections", "Switch it on, and check host and port"],
  [-errno.EHOSTUNREACH]: ["cannot be reached", "Check the network and the address"],
  [-errno.ENETUNREACH]: ["cannot be reached", "Check the network and the address"],
  [-errno.ETIMEDOUT]: ["does not answer", "Check the network and the address"],
  [-errno.EIO]: ["cannot be read", "Check its cable, and whether it is switched on"],
  [UNAUTHORIZED]: ["wants another name or password", "Correct them in the address"],
  [FORBIDDEN]: ["forbids this stream", "Allow it in the camera's settings"],
  [NOT_FOUND]: ["has no such stream", "Correct the path of the address"],
  [AVERROR_EOF]: ["has ended", "Check whether it is switched on"],
  [AVERROR_INVALIDDATA]: ["sends what cannot be read", "Choose H.264 or MJPEG in its settings"],
};

/** What an error of FFmpeg means for one input. */
export function inputProblem(input: InputSpec, code: number): SourceProblem {
  const [what, change] = explain(input, code);
  return new SourceProblem(`${capital(input.said)} ${what}. ${change}.`);
}

function explain(input: InputSpec, code: number): Explanation {
  if (input.format === "x11grab" && code === -errno.EIO)
    return ["cannot be opened", "Start the X server, let this user in (xhost), and keep the region within the screen"];
  const known = EXPLANATIONS[code];
  if (known !== undefined) return known;
  return [`fails: ${new FFmpegError(code).message}`, "Look whether it works with another program"];
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
