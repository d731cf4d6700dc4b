import owasp from "@stoplight/spectral-owasp-ruleset";

export default { extends: [owasp] };
