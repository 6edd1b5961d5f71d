import { useEffect, useEffectEvent, useState } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import { Field } from "../../../shared/ui/field.tsx";
import { Icon } from "../../../shared/ui/icon.tsx";
import { IconButton } from "../../../shared/ui/key.tsx";
import { SEARCH_MAX } from "../model/filters.ts";
import css from "./filter-bar.module.css";

/** How long nothing must be typed before it is asked for, ms. */
const PAUSE_MS = 350;

/** What is typed, the value of the address it was typed over, and what was asked for last. */
type Draft = { readonly text: string; readonly of: string; readonly sent: string };
type SearchFieldProps = { readonly value: string; readonly label: string; readonly onSearch: (search: string) => void };

/** What is typed is asked for after a pause, or at once with Enter. A change of the address wins over what was typed. */
export function SearchField({ value, label, onSearch }: SearchFieldProps) {
  const { t } = useText();
  const [draft, setDraft] = useState<Draft>({ text: value, of: value, sent: value });
  // Our own search has arrived in the address: from now on another value there is somebody else's.
  if (draft.sent === value && draft.of !== value) setDraft({ ...draft, of: value });
  const text = draft.of === value || draft.sent === value ? draft.text : value;

  function send(search: string): void {
    setDraft((now) => ({ ...now, sent: search }));
    onSearch(search);
  }
  const sendAfterPause = useEffectEvent(() => send(text.trim()));
  useEffect(() => {
    if (text.trim() === value) return;
    const timer = setTimeout(sendAfterPause, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value]);

  function clear(): void {
    setDraft({ text: "", of: value, sent: "" });
    onSearch("");
  }
  return (
    <form
      className={css["search"]}
      onSubmit={(event) => {
        event.preventDefault();
        send(text.trim());
      }}
    >
      <Field
        label={label}
        bareLabel
        type="search"
        enterKeyHint="search"
        autoComplete="off"
        placeholder={label}
        value={text}
        maxLength={SEARCH_MAX}
        wellClass={css["well"] ?? ""}
        onChange={({ target }) => setDraft({ text: target.value, of: value, sent: draft.sent })}
        before={<Icon name="search" />}
        after={
          text !== "" && (
            <IconButton icon="close" label={t("history.clearSearch")} className={css["clear"] ?? ""} onClick={clear} />
          )
        }
      />
    </form>
  );
}
