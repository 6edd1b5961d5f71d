import type { PictureConfig, SoundConfig } from "../config/pictures.ts";
import type { Source } from "../ports/source.ts";
import { deviceSource } from "./device-source.ts";
import { pictureOrder, pictureSize, soundOrder } from "./order.ts";
import type { SessionDeps } from "./session.ts";

/** The source of a configured picture, with its sound where it has one. */
export function configuredSource(picture: PictureConfig, sound: SoundConfig, deps: SessionDeps): Source {
  const settings = {
    picture: pictureOrder(picture),
    size: pictureSize(picture),
    rate: picture.rate,
    sound: sound.kind === "rtsp" ? ("picture" as const) : soundOrder(sound),
  };
  return deviceSource(settings, deps);
}
