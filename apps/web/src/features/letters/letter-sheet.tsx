import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import type { IconName } from "@longarm/ui/icon-paths.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Sheet } from "@longarm/ui/sheet.tsx";
import type { ReactNode } from "react";
import type { TextKey } from "../../shared/i18n/text-key.ts";
import { LetterFrom, LetterText } from "../../shared/ui/letter.tsx";
import { Advice } from "./letter-parts.tsx";
import css from "./letters.module.css";
import type { LettersApi } from "./letters.ts";
import { useLetters, usePutAway } from "./letters.ts";

/** Tabs of Safer play to which a letter leads. */
export type LetterWay = "limits" | "breaks" | "help" | "letters";

/** Each of one size and one kind. Nothing here is brass: the house has no wish. */
const WAYS: readonly (readonly [LetterWay, IconName, TextKey])[] = [
  ["limits", "shield", "letters.setLimit"],
  ["breaks", "clock", "letters.takeBreak"],
  ["help", "chat", "letters.talkOutside"],
  ["letters", "info", "letters.why"],
];

export type LetterSheetProps = {
  readonly api: LettersApi;
  /** Drawn where none waits after all: it was read on another device. */
  readonly otherwise: ReactNode;
  /** It is put away; undefined: the player went on without choosing a way. */
  readonly onPutAway: (way: LetterWay | undefined) => void;
};

/** A letter of staff that waits: what was written, ways to act on it, and "Not now" without any consequence. */
export function LetterSheet({ api, otherwise, onPutAway }: LetterSheetProps) {
  const { t } = useText();
  const { data, isPending } = useLetters(api);
  const putAway = usePutAway(api);
  const letter =
    data === undefined || data === "absent" ? undefined : data.letters.find(({ readAt }) => readAt === null);
  if (letter === undefined) return isPending ? null : otherwise;
  const { id } = letter;
  const choose = (way?: LetterWay) => void putAway(id).then(() => onPutAway(way));
  return (
    <Sheet open title={t("letters.title")} className={css["sheet"] ?? ""} onClose={() => choose()}>
      <div className={css["content"]}>
        <LetterFrom from={letter.from} at={letter.sentAt} />
        <LetterText text={letter.text} />
        <Advice letter={letter} />
        <ul className={css["ways"]}>
          {WAYS.map(([way, icon, word]) => (
            <li key={way}>
              <button type="button" onClick={() => choose(way)}>
                <Icon name={icon} />
                {t(word)}
              </button>
            </li>
          ))}
        </ul>
        <Key kind="bare" onClick={() => choose()}>
          {t("letters.later")}
        </Key>
        <p className={css["fine"]}>{t("letters.fine")}</p>
      </div>
    </Sheet>
  );
}
