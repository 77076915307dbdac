// Khronos' own verdict on a GLB file: prints the validator's report as JSON.
// usage: node validate_gltf.js FILE   (with NODE_PATH leading to gltf-validator)
const fs = require("fs");
const validator = require("gltf-validator");

validator
  .validateBytes(new Uint8Array(fs.readFileSync(process.argv[2])), { maxIssues: 100 })
  .then((report) => console.log(JSON.stringify(report)))
  .catch((error) => {
    console.error(String(error));
    process.exit(1);
  });
