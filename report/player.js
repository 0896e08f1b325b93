/* Playback: moves the moment with the clock, and keeps slider, buttons and keys in step with it. */

const speeds = [0.0001, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

class Player {
  constructor(view, movie) {
    Object.assign(this, { view, movie });
    this.playing = false;
    this.time = movie.time[0];
    this.listeners = [];
    this.script = []; /* milliseconds of script of the last frames that were drawn */
    for (const id of ["play", "back", "forward", "slider", "clock", "speed", "loop"]) this[id] = document.getElementById(id);
    this.slider.max = movie.nframe - 1;
    this.fillSpeeds();
    this.play.addEventListener("click", () => this.toggle());
    this.back.addEventListener("click", () => this.step(-1));
    this.forward.addEventListener("click", () => this.step(1));
    this.slider.addEventListener("input", () => this.seekFrame(Number(this.slider.value)));
    this.update();
    requestAnimationFrame((now) => this.tick(now));
  }

  get duration() {
    return this.movie.time[this.movie.nframe - 1] - this.movie.time[0];
  }

  /* The fastest speed at which the run takes some seconds is the one to begin with. */
  fillSpeeds() {
    const fitting = speeds.filter((speed) => this.duration / speed >= 3), first = Math.max(...fitting, speeds[0]);
    for (const speed of speeds) this.speed.append(new Option(speed >= 0.01 ? `${speed}×` : `${speed.toExponential(0)}×`, speed, speed === first, speed === first));
    this.speed.value = first;
  }

  toggle() {
    this.playing = !this.playing && this.movie.nframe > 1;
    if (this.playing && this.time >= this.movie.time[this.movie.nframe - 1]) this.seek(this.movie.time[0]);
    this.last = undefined;
    this.play.querySelector("span").textContent = this.playing ? "Pause" : "Play";
    this.play.querySelector("path").setAttribute("d", this.playing ? "M4 3h3v10H4zM9 3h3v10H9z" : "M4 2.5v11l9-5.5z");
  }

  step(frames) {
    if (this.playing) this.toggle();
    this.seekFrame(this.view.nearest() + frames);
  }

  seekFrame(frame) {
    this.seek(this.movie.time[Math.max(0, Math.min(this.movie.nframe - 1, frame))]);
  }

  seek(time) {
    this.time = time;
    this.view.show(this.momentAt(time));
    this.update();
  }

  /* Moment, in frames, of a time. */
  momentAt(time) {
    const list = this.movie.time;
    let low = 0, high = list.length - 1;
    if (time >= list[high]) return high;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (list[middle] <= time) low = middle;
      else high = middle;
    }
    return low + (high > low ? Math.max(0, time - list[low]) / (list[high] - list[low]) : 0);
  }

  advance(seconds) {
    const end = this.movie.time[this.movie.nframe - 1];
    let time = this.time + seconds * Number(this.speed.value);
    if (time > end) {
      if (this.loop.checked) time = this.movie.time[0];
      else this.toggle();
    }
    this.seek(Math.min(time, end));
  }

  tick(now) {
    const began = performance.now();
    this.view.controls.update();
    if (this.playing && this.last !== undefined) this.advance(Math.min(0.25, (now - this.last) / 1000));
    this.last = now;
    if (this.view.draw()) {
      this.script.push(performance.now() - began);
      if (this.script.length > 600) this.script.shift();
    }
    requestAnimationFrame((next) => this.tick(next));
  }

  update() {
    const frame = this.view.nearest(), { step, nframe } = this.movie;
    this.slider.value = frame;
    const text = `t = ${this.time.toFixed(this.decimals())} s · step ${step[frame]} · frame ${frame + 1} of ${nframe}`;
    this.clock.textContent = text;
    this.slider.setAttribute("aria-valuetext", text);
    for (const listener of this.listeners) listener(this.time);
  }

  decimals() {
    return Math.max(2, Math.min(8, 3 - Math.floor(Math.log10(this.duration || 1))));
  }
}
