// What the page of a report takes from three.js.
export {
  AmbientLight, BufferAttribute, BufferGeometry, BoxGeometry, Color, DirectionalLight, DoubleSide, HemisphereLight,
  InstancedBufferAttribute, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshDepthMaterial, MeshLambertMaterial,
  MeshStandardMaterial, PerspectiveCamera, PlaneGeometry, PCFShadowMap, Quaternion, Raycaster, RGBADepthPacking, Scene, Vector2, Vector3, WebGLRenderer,
} from 'three';
export { OrbitControls } from 'three/addons/controls/OrbitControls.js';
