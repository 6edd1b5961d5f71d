import { createHash } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import type { PictureConfig } from "./pictures.ts";
import { DelayMs } from "./pictures.ts";

/** A picture that a camera or a grabber makes: it is late by a time that only a mark in front of it can show. */
export type CameraPicture = Extract<PictureConfig, { kind: "v4l2" | "rtsp" }>;

export const isCamera = (picture: PictureConfig | undefined): picture is CameraPicture =>
  picture?.kind === "v4l2" || picture?.kind === "rtsp";

/** What the doctor measured of a machine's picture. `picture`: the digest of the configuration that it was measured with; another one was not measured. */
const Stored = z.object({ delayMs: DelayMs, picture: z.string() });

const pathIn = (machineFolder: string): string => join(machineFolder, "source-delay.json");

/** Without the delay itself, and a digest, as the address may hold a password. */
const digestOf = ({ delayMs: _, ...picture }: CameraPicture): string =>
  createHash("sha256").update(JSON.stringify(picture)).digest("hex");

/** Stores what was measured for the next start of the agent. */
export async function storeDelay(machineFolder: string, picture: CameraPicture, delayMs: number): Promise<void> {
  const path = pathIn(machineFolder);
  await mkdir(machineFolder, { recursive: true });
  await writeFile(`${path}.new`, JSON.stringify({ delayMs, picture: digestOf(picture) }));
  await rename(`${path}.new`, path);
}

/** The picture with the delay that was measured, where none is configured. */
export function withStoredDelay(
  picture: PictureConfig,
  machineFolder: string,
  readFile: (path: string) => string,
): PictureConfig {
  if (!isCamera(picture) || picture.delayMs !== undefined) return picture;
  try {
    const { delayMs, picture: measured } = Stored.parse(JSON.parse(readFile(pathIn(machineFolder))));
    return measured === digestOf(picture) ? { ...picture, delayMs } : picture;
  } catch {
    return picture;
  }
}
