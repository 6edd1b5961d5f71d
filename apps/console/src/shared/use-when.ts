import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useConsole } from "./console.ts";
import { useMe } from "./me.ts";
import { whenText } from "./times.ts";

/** A moment (ISO 8601) in the venue's time zone: day and time, of today the time alone. */
export function useWhen(): (at: string) => string {
  const { language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  return (at) => whenText(at, clock.now(), venue.timeZone, language);
}
