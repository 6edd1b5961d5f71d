import type { PictureConfig, RoomCameraConfig, SoundConfig } from "./pictures.ts";

interface Pictures {
  readonly id: string;
  readonly picture?: PictureConfig | undefined;
  readonly sound?: SoundConfig | undefined;
  readonly roomCamera?: RoomCameraConfig | undefined;
}

/** Sentences on what cannot be meant, over all machines of one agent. */
export function contradictionsOfPictures(machines: readonly Pictures[]): string[] {
  const complaints: string[] = [];
  for (const { id, picture, sound } of machines) {
    if (sound !== undefined && picture === undefined)
      complaints.push(`gives the machine "${id}" a sound without a picture; give it both`);
    if (sound?.kind === "rtsp" && picture?.kind !== "rtsp")
      complaints.push(`takes the sound of "${id}" from an rtsp picture that it does not have`);
  }
  const devices = machines.flatMap(devicesOf);
  const twice = devices.find((device, at) => devices.indexOf(device) !== at);
  // A capture device serves one at a time.
  if (twice !== undefined) complaints.push(`uses the device ${twice} twice`);
  return complaints;
}

function devicesOf({ picture, sound, roomCamera }: Pictures): string[] {
  const used: string[] = [];
  for (const place of [picture, roomCamera]) if (place?.kind === "v4l2") used.push(place.device);
  // Other names of ALSA are shared by its mixer.
  if (sound?.kind === "alsa" && /^(plug)?hw:/.test(sound.device)) used.push(sound.device);
  return used;
}
