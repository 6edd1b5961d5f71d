import { accessSync, constants, readdirSync, readFileSync } from "node:fs";
import type { Finding } from "./finding.ts";
import { note } from "./finding.ts";

const PART = "devices here";

/** What this computer has to take pictures and sound from. */
export function listDevices(root = "/"): Finding[] {
  const cameras = names(`${root}dev`, /^video\d+$/).map((name) => cameraWords(root, name));
  const screens = names(`${root}tmp/.X11-unix`, /^X\d+$/).map((name) => `the screen :${name.slice(1)}`);
  const cards = read(`${root}proc/asound/cards`).matchAll(/^ *(\d+) \[.*?\]: (.*)$/gm);
  const sounds = [...cards].map(([, number, name]) => `the sound card hw:${number} (${name})`);
  const found = [...cameras, ...screens, ...sounds];
  if (found.length === 0) return [note(PART, "No capture device, no screen and no sound card is here.")];
  return found.map((words) => note(PART, `${words.charAt(0).toUpperCase()}${words.slice(1)}.`));
}

function cameraWords(root: string, name: string): string {
  const called = read(`${root}sys/class/video4linux/${name}/name`).trim();
  const may = mayOpen(`${root}dev/${name}`) ? "" : ", which this user may not open";
  return `the capture device /dev/${name}${called === "" ? "" : ` (${called})`}${may}`;
}

function names(folder: string, shape: RegExp): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => shape.test(name))
      .sort();
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function mayOpen(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
