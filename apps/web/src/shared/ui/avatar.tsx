import type { ReactNode } from "react";
import { useText } from "../i18n/use-text.ts";
import { LOCALES } from "../money/format.ts";
import css from "./avatar.module.css";

/** A round face with the first letters of a name, for beside the name itself: screen readers pass over it. Its size is the class's. */
export function Avatar(props: { readonly name: string; readonly className?: string; readonly children?: ReactNode }) {
  const { language } = useText();
  const letters = props.name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => word.charAt(0).toLocaleUpperCase(LOCALES[language]));
  return (
    <span className={`${css["face"]} ${props.className ?? ""}`} aria-hidden="true">
      {letters.join("")}
      {props.children}
    </span>
  );
}
