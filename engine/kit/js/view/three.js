// Drawn by three.js: g has the scene, the camera and the renderer.
import * as THREE from 'three';

export function view({ canvas, w, h }) {
  const renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
  renderer.setSize(canvas.width, canvas.height, false);
  const [scene, camera] = [new THREE.Scene(), new THREE.PerspectiveCamera(60, w / h, 0.1, 1000)];
  return { g: { scene, camera, renderer }, show: () => renderer.render(scene, camera) };
}
