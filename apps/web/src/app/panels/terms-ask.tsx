import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useLive } from "@longarm/ui/live.ts";
import { useLocation } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useState } from "react";
import { TermsSheet } from "../../features/terms/terms-sheet.tsx";
import type { ApiFailure } from "../../shared/api/failure.ts";
import { failureText } from "../../shared/i18n/problem-text.ts";
import { paths } from "../../shared/paths/paths.ts";
import { createStorage, STORAGE_KEYS } from "../../shared/storage/storage.ts";
import type { App } from "../app.ts";
import { oncePer } from "../app.ts";
import { renewToken } from "../start/sign-in.ts";
import { useTextsOf } from "./use-texts-of.ts";

/** What is kept as long as the tab, so that a reload does not show it again. */
const sessionOf = oncePer((_: App) => createStorage(() => sessionStorage));

/** Shows a new version of the terms once in each sign-in, over whatever page it is, but not over the page of the terms itself. `otherwise`: while it shows none. */
export default function TermsAsk({ app, otherwise }: { readonly app: App; readonly otherwise: ReactNode }) {
  const ready = useTextsOf(app, "terms");
  const speech = useText();
  const signedIn = useLive(app.auth.state);
  const { pathname } = useLocation();
  const session = sessionOf(app);
  /** Which version this sign-in has put off. */
  const [putOff, setPutOff] = useState(() => session.read(STORAGE_KEYS.termsPutOff));
  const player = signedIn.is === "guest" ? undefined : signedIn.player;
  const due = player?.termsDue;
  const mark = `${player?.signedInAt} ${due}`;
  if (due === undefined || putOff === mark) return otherwise;
  if (!ready || pathname === paths.terms) return null;
  function later(): void {
    session.write(STORAGE_KEYS.termsPutOff, mark);
    setPutOff(mark);
  }
  function accepted(failure?: ApiFailure): void {
    if (failure !== undefined) app.messages.say("bad", failureText(speech, failure));
    void renewToken(app);
  }
  return <TermsSheet api={app.api} number={due} onLater={later} onAccepted={accepted} />;
}
