import { useMedia } from "../../../shared/ui/use-media.ts";

/** Less motion is wanted: by the system, or by the player, whose choice stands on `<html>` and does not change at a machine. */
export function useStill(): boolean {
  const system = useMedia("(prefers-reduced-motion: reduce)");
  return system || document.documentElement.hasAttribute("data-still");
}
