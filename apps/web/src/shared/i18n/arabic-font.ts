import "../ui/fonts/readex.css";
