"use strict";
// The player of a page: draws the parts of bodies and things at their recorded poses, and lets one look about and scrub.
const $ = (id) => document.getElementById(id);
const about = JSON.parse($("about").textContent);
const TYPES = { f4: Float32Array, u4: Uint32Array, i2: Int16Array, u1: Uint8Array };

async function unpack() {
  const packed = Uint8Array.from(atob($("data").textContent.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const buffer = await new Response(stream).arrayBuffer();
  const out = {};
  for (const [name, s] of Object.entries(about.sections)) out[name] = new TYPES[s.type](buffer, s.offset, s.length);
  return out;
}

// vectors and matrices, column by column as WebGL wants them
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => { const s = Math.hypot(...a) || 1; return [a[0] / s, a[1] / s, a[2] / s]; };
function times(a, b) {
  const out = new Float32Array(16);
  for (let c = 0; c < 4; c++) for (let r = 0; r < 4; r++) {
    let s = 0;
    for (let k = 0; k < 4; k++) s += a[4 * k + r] * b[4 * c + k];
    out[4 * c + r] = s;
  }
  return out;
}
function looking(eye, target) {
  const back = unit(sub(eye, target)), right = unit(cross([0, 0, 1], back)), up = cross(back, right);
  return new Float32Array([right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0,
    -dot(right, eye), -dot(up, eye), -dot(back, eye), 1]);
}
function lens(fov, aspect, near, far) {
  const f = 1 / Math.tan(fov / 2);
  return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0]);
}
function box(half, depth) {
  return new Float32Array([1 / half, 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, -2 / depth, 0, 0, 0, -1, 1]);
}
function pose(w, x, y, z, px, py, pz, scale) {
  const [a, b, c] = scale || [1, 1, 1];
  return new Float32Array([
    a * (1 - 2 * (y * y + z * z)), a * 2 * (x * y + w * z), a * 2 * (x * z - w * y), 0,
    b * 2 * (x * y - w * z), b * (1 - 2 * (x * x + z * z)), b * 2 * (y * z + w * x), 0,
    c * 2 * (x * z + w * y), c * 2 * (y * z - w * x), c * (1 - 2 * (x * x + y * y)), 0, px, py, pz, 1]);
}

const VERTEX = `#version 300 es
layout(location = 0) in vec3 place; layout(location = 1) in vec3 normal;
uniform mat4 model, view, sun; out vec3 at, facing; out vec4 lit;
void main() {
  vec4 world = model * vec4(place, 1.0);
  at = world.xyz; facing = mat3(model) * normal; lit = sun * world; gl_Position = view * world;
}`;
const FRAGMENT = `#version 300 es
precision highp float; precision highp sampler2DShadow;
in vec3 at, facing; in vec4 lit; out vec4 painted;
uniform vec3 colour, way, eye, focus, sky; uniform float alpha; uniform int kind; uniform sampler2DShadow shade;
float line(vec2 p, float step, float width) {
  vec2 d = abs(fract(p / step - 0.5) - 0.5) * step, w = max(fwidth(p), vec2(1e-5));
  vec2 a = 1.0 - smoothstep(vec2(0.0), w * 1.2 + width, d);
  return max(a.x, a.y) * clamp(1.0 - max(w.x, w.y) / step * 3.0, 0.0, 1.0);
}
void main() {
  vec3 n = normalize(facing), look = normalize(eye - at);
  if (dot(n, look) < 0.0) n = -n;
  vec3 s = lit.xyz / lit.w * 0.5 + 0.5;
  float sun = clamp(0.8 * dot(n, way) + 0.2, 0.0, 1.0), open = 1.0;
  if (all(greaterThan(s.xy, vec2(0.0))) && all(lessThan(s.xy, vec2(1.0)))) {
    float bias = 0.0015 + 0.004 * (1.0 - sun);
    open = 0.0;
    for (int i = -1; i <= 1; i++) for (int j = -1; j <= 1; j++)
      open += texture(shade, vec3(s.xy + vec2(i, j) / 1400.0, s.z - bias));
    open /= 9.0;
  }
  if (kind == 1) sun *= open; // bodies in their own shadow look torn
  vec3 base = colour;
  if (kind == 1) {
    float side = smoothstep(0.4, 0.7, n.z);
    base = mix(colour * 0.72, colour, side);
    base = mix(base, base * 0.86, side * line(at.xy, 0.5, 0.002));
    base = mix(base, base * 0.72, side * line(at.xy, 1.0, 0.005));
  }
  vec3 light = base * (0.52 + 0.12 * n.z + 0.48 * sun);
  if (kind == 0) light *= 1.0 - 0.35 * pow(1.0 - max(dot(n, look), 0.0), 3.0);
  if (kind == 2) light = base * (0.8 + 0.2 * sun);
  float far = kind == 1 ? smoothstep(6.0, 22.0, length(at - focus)) : 0.0;
  painted = vec4(mix(light, sky, far), alpha);
}`;

function program(gl) {
  const made = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  const spots = {};
  for (const n of ["model", "view", "sun", "colour", "way", "eye", "focus", "sky", "alpha", "kind", "shade"]) spots[n] = gl.getUniformLocation(made, n);
  return [made, spots];
}

class Picture {
  constructor(data) {
    this.data = data;
    this.canvas = $("view");
    const gl = this.gl = this.canvas.getContext("webgl2", { alpha: false, antialias: true });
    if (!gl) throw new Error("This browser has no WebGL 2, which the player needs.");
    [this.program, this.at] = program(gl);
    gl.bindVertexArray(gl.createVertexArray());
    [["vertices", 0], ["normals", 1]].forEach(([name, spot]) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, data[name], gl.STATIC_DRAW);
      gl.enableVertexAttribArray(spot);
      gl.vertexAttribPointer(spot, 3, gl.FLOAT, false, 0, 0);
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, data.faces, gl.STATIC_DRAW);
    this.shadow();
    this.sky = [0.925, 0.933, 0.945];
    this.way = unit([-0.35 * Math.cos(about.heading) + 0.5 * Math.sin(about.heading), -0.35 * Math.sin(about.heading) - 0.5 * Math.cos(about.heading), 1.1]);
    this.turn = about.heading - Math.PI / 2 + 0.5; // from its right, a little from the front
    this.rise = 0.2;
    this.reach = about.reach;
  }
  shadow() {
    const gl = this.gl;
    this.map = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.map);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, 1024, 1024);
    for (const f of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, f, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    this.dark = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.dark);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.map, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }
  draw(frame, target, shown) {
    const gl = this.gl, wide = this.canvas.clientWidth, high = this.canvas.clientHeight, dense = Math.min(devicePixelRatio || 1, 2);
    if (this.canvas.width !== Math.round(wide * dense) || this.canvas.height !== Math.round(high * dense)) {
      this.canvas.width = Math.round(wide * dense);
      this.canvas.height = Math.round(high * dense);
    }
    const flat = Math.cos(this.rise);
    this.eye = [target[0] + this.reach * flat * Math.cos(this.turn), target[1] + this.reach * flat * Math.sin(this.turn), target[2] + this.reach * Math.sin(this.rise)];
    const aspect = wide / Math.max(high, 1);
    this.view = times(lens(aspect < 1 ? 2 * Math.atan(0.29 / aspect) : 0.56, aspect, 0.05, 400), looking(this.eye, target));
    const from = [target[0] + 10 * this.way[0], target[1] + 10 * this.way[1], target[2] + 10 * this.way[2]];
    const sun = times(box(Math.max(3.2, 0.6 * about.reach), 20), looking(from, target));
    this.things = this.list(frame, shown);
    gl.useProgram(this.program);
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.dark);
    gl.viewport(0, 0, 1024, 1024);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.bindTexture(gl.TEXTURE_2D, null);
    this.spot("view", sun);
    for (const t of this.things) if (t.kind !== 2 && t.alpha === 1 && t.part.group !== "plane") this.thing(t);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(...this.sky, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.bindTexture(gl.TEXTURE_2D, this.map);
    this.spot("view", this.view);
    this.spot("sun", sun);
    for (const [n, v] of [["way", this.way], ["eye", this.eye], ["focus", target], ["sky", this.sky]]) gl.uniform3fv(this.at[n], v);
    for (const t of this.things) if (t.alpha === 1) this.thing(t);
    const pale = this.things.filter((t) => t.alpha < 1);
    gl.enable(gl.POLYGON_OFFSET_FILL); // where both are at one place the body itself is seen
    gl.polygonOffset(6, 60);
    gl.colorMask(false, false, false, false);
    for (const t of pale) this.thing(t);
    gl.colorMask(true, true, true, true);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthFunc(gl.LEQUAL);
    for (const t of pale) this.thing(t);
    gl.depthFunc(gl.LESS);
    gl.disable(gl.POLYGON_OFFSET_FILL);
  }
  spot(name, matrix) { this.gl.uniformMatrix4fv(this.at[name], false, matrix); }
  thing(t) {
    const gl = this.gl;
    this.spot("model", t.model);
    gl.uniform3fv(this.at.colour, t.colour);
    gl.uniform1f(this.at.alpha, t.alpha);
    gl.uniform1i(this.at.kind, t.kind);
    gl.drawElements(gl.TRIANGLES, t.part.count, gl.UNSIGNED_INT, 4 * t.part.first);
  }
  track(frame, k) {
    const d = this.data, p = 3 * (frame * about.tracks + k), r = 4 * (frame * about.tracks + k), s = 1 / 32767;
    return pose(d.turns[r] * s, d.turns[r + 1] * s, d.turns[r + 2] * s, d.turns[r + 3] * s, d.places[p], d.places[p + 1], d.places[p + 2]);
  }
  list(frame, shown) {
    const d = this.data, out = [], still = pose(1, 0, 0, 0, 0, 0, 0), models = [];
    for (let k = 0; k < about.tracks; k++) models.push(d.shown[frame * about.tracks + k] ? this.track(frame, k) : null);
    for (const part of about.parts) {
      if (part.group === "ghost" && !shown.ghost) continue;
      const model = part.track < 0 ? still : models[part.track];
      if (model) out.push({ part, model, colour: part.colour, alpha: part.alpha, kind: part.group === "ground" || part.group === "plane" ? 1 : 0 });
    }
    if (shown.touch) about.points.forEach((point, i) => {
      const m = d.touching[frame * about.points.length + i] && models[point.track];
      if (!m) return;
      const at = [0, 1, 2].map((r) => m[r] * point.place[0] + m[4 + r] * point.place[1] + m[8 + r] * point.place[2] + m[12 + r]);
      out.push({ part: about.ball, model: pose(1, 0, 0, 0, ...at, [0.018, 0.018, 0.018]), colour: [0.07, 0.6, 0.33], alpha: 1, kind: 2 });
    });
    this.tips = [];
    for (let a = d.arrow_start[frame]; shown.forces && a < d.arrow_start[frame + 1]; a++) this.arrow(out, a);
    return out;
  }
  arrow(out, a) {
    const row = this.data.arrows.subarray(7 * a, 7 * a + 7), force = [row[3], row[4], row[5]], size = Math.hypot(...force), pushed = row[6] > 0;
    const long = Math.max(pushed ? 0.35 : 0.02, size * about.metres_per_newton), way = unit(force);
    // the turn from Z to the force; a push ends on the body, a contact force begins at its point
    const w = 1 + way[2], q = w < 1e-6 ? [0, 1, 0, 0] : [w, -way[1], way[0], 0], s = Math.hypot(...q);
    const back = pushed ? long + 0.12 : 0, foot = [row[0] - back * way[0], row[1] - back * way[1], row[2] - back * way[2]];
    const thick = pushed ? 0.028 : 0.016, head = Math.min(0.12, 0.45 * long), colour = pushed ? [0.9, 0.45, 0.05] : [0.8, 0.15, 0.2];
    const tip = [foot[0] + (long - head) * way[0], foot[1] + (long - head) * way[1], foot[2] + (long - head) * way[2]];
    const turn = [q[0] / s, q[1] / s, q[2] / s, q[3] / s];
    out.push({ part: about.rod, model: pose(...turn, ...foot, [thick, thick, long - head]), colour, alpha: 1, kind: 2 });
    out.push({ part: about.cone, model: pose(...turn, ...tip, [2.4 * thick, 2.4 * thick, head]), colour, alpha: 1, kind: 2 });
    if (pushed) this.tips.push([foot, `${Math.round(size)} N`]);
  }
  screen(p) {
    const v = this.view, w = v[3] * p[0] + v[7] * p[1] + v[11] * p[2] + v[15];
    const x = v[0] * p[0] + v[4] * p[1] + v[8] * p[2] + v[12], y = v[1] * p[0] + v[5] * p[1] + v[9] * p[2] + v[13];
    return w > 0 ? [(0.5 + 0.5 * x / w) * this.canvas.clientWidth, (0.5 - 0.5 * y / w) * this.canvas.clientHeight] : null;
  }
}

class Player {
  constructor(data) {
    this.data = data;
    this.picture = new Picture(data);
    this.time = 0;
    this.playing = !about.still;
    this.shift = [0, 0, 0];
    this.words();
    this.hands();
    const asked = /t=([\d.]+)/.exec(location.hash);
    if (asked) this.seek(+asked[1]);
    let last = performance.now();
    const tick = (now) => {
      if (this.playing) this.time += Math.min(0.1, (now - last) / 1000) * +$("speed").value;
      if (this.time > about.seconds + 0.4) this.time = 0; // a moment on the last picture, then again
      last = now;
      this.show();
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }
  seek(time) {
    this.time = Math.min(Math.max(time, 0), about.seconds);
    this.playing = false;
  }
  get frame() { return Math.max(0, Math.min(about.frames - 1, Math.round(this.time * about.rate))); }
  show() {
    const k = this.frame, d = this.data;
    const at = $("follow").checked || !this.target ? [d.target[3 * k], d.target[3 * k + 1], d.target[3 * k + 2]] : this.target;
    this.target = at;
    const shown = { ghost: $("ghost").checked, forces: $("forces").checked, touch: $("touch").checked };
    this.picture.draw(k, [at[0] + this.shift[0], at[1] + this.shift[1], at[2] + this.shift[2]], shown);
    const share = 100 * Math.min(1, this.time / Math.max(about.seconds, 1e-9));
    $("track").querySelector(".done").style.width = $("track").querySelector(".knob").style.left = share + "%";
    $("play").textContent = this.playing ? "Pause" : "Play";
    $("clock").textContent = `${Math.min(this.time, about.seconds).toFixed(2)} of ${about.seconds.toFixed(2)} s · frame ${d.clip_frame[k]} of ${about.clip_frames}`;
    $("labels").replaceChildren(...this.picture.tips.map(([p, text]) => {
      const label = document.createElement("div"), spot = this.picture.screen(p) || [-99, -99];
      label.className = "label";
      label.textContent = text;
      label.style.left = spot[0] + "px";
      label.style.top = spot[1] + "px";
      return label;
    }));
  }
  words() {
    const add = (to, kind, text, name) => { const e = document.createElement(kind); e.textContent = text; if (name) e.className = name; to.append(e); return e; };
    add($("title"), "h1", about.title);
    for (const line of about.lines) add($("title"), "p", line);
    $("terms").textContent = $("terms").title = about.terms;
    $("ghost_of").hidden = !about.parts.some((p) => p.group === "ghost");
    $("forces_of").hidden = !this.data.arrows.length;
    $("touch_of").hidden = !about.points.length;
    $("told").hidden = !about.marks.length;
    if (about.marks.length) add($("told"), "h2", "What happened");
    for (const m of about.marks) {
      const row = add($("told"), "button", "", m.kind);
      if (m.time !== null) {
        add(row, "time", `${m.time.toFixed(2)} s`);
        const tick = add($("marks"), "div", "", "mark " + m.kind);
        tick.style.left = 100 * m.time / Math.max(about.seconds, 1e-9) + "%";
        tick.title = m.text;
        row.onclick = () => this.seek(m.time);
      }
      add(row, "span", m.text);
    }
  }
  hands() {
    const view = $("view"), p = this.picture;
    view.onpointerdown = (e) => { view.setPointerCapture(e.pointerId); this.held = e.shiftKey || e.button === 2 ? "shift" : "turn"; };
    view.onpointerup = () => { this.held = null; };
    view.oncontextmenu = (e) => e.preventDefault();
    view.onpointermove = (e) => {
      if (this.held === "turn") {
        p.turn -= 0.006 * e.movementX;
        p.rise = Math.min(1.5, Math.max(-0.1, p.rise + 0.006 * e.movementY));
      } else if (this.held === "shift") {
        const step = 0.0011 * p.reach, s = Math.sin(p.turn), c = Math.cos(p.turn);
        this.shift = [this.shift[0] + step * s * e.movementX, this.shift[1] - step * c * e.movementX, this.shift[2] + step * e.movementY];
      }
    };
    view.onwheel = (e) => { e.preventDefault(); p.reach = Math.min(80, Math.max(0.6, p.reach * Math.exp(0.001 * e.deltaY))); };
    const scrub = (e) => { const r = $("track").getBoundingClientRect(); this.seek(about.seconds * (e.clientX - r.left) / r.width); };
    $("track").onpointerdown = (e) => { $("track").setPointerCapture(e.pointerId); this.scrubbing = true; scrub(e); };
    $("track").onpointermove = (e) => { if (this.scrubbing) scrub(e); };
    $("track").onpointerup = () => { this.scrubbing = false; };
    $("play").onclick = () => { this.playing = !this.playing; if (this.playing && this.time >= about.seconds) this.time = 0; };
    window.onkeydown = (e) => {
      if (e.key === " ") { e.preventDefault(); $("play").click(); }
      if (e.key === "ArrowRight" || e.key === "ArrowLeft") this.seek((this.frame + (e.key === "ArrowRight" ? 1 : -1)) / about.rate);
    };
    document.querySelectorAll("button, input, select").forEach((e) => e.addEventListener("change", () => e.blur()));
  }
}

unpack().then((data) => { window.player = new Player(data); document.body.dataset.ready = "yes"; }).catch((error) => {
  $("title").textContent = `This page cannot be played here: ${error.message}`;
});
