import type { ReactNode } from "react";
import { useState } from "react";
import css from "./avatar.module.css";
import { useText } from "./i18n/use-text.ts";
import { LOCALES } from "./money/format.ts";

type AvatarProps = {
  readonly name: string;
  /** Address of an image; without one, or when it cannot be loaded, the first letters of the name are shown. */
  readonly photo?: string | undefined;
  readonly className?: string;
  readonly children?: ReactNode;
};

/** A round face, for beside the name itself: screen readers pass over it. Its size is the class's. */
export function Avatar(props: AvatarProps) {
  const { language } = useText();
  const { photo = "" } = props;
  const [missing, setMissing] = useState("");
  const letters = props.name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => word.charAt(0).toLocaleUpperCase(LOCALES[language]));
  return (
    <span className={`${css["face"]} ${props.className ?? ""}`} aria-hidden="true">
      {photo === "" || photo === missing ? (
        letters.join("")
      ) : (
        <img src={photo} alt="" onError={() => setMissing(photo)} />
      )}
      {props.children}
    </span>
  );
}
