// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Benchmarks",
  dependencies: [.package(name: "async-location", path: "..")],
  targets: [
    .systemLibrary(name: "CLibGPS", pkgConfig: "libgps", providers: [.apt(["libgps-dev"])]),
    .executableTarget(name: "libgps-loop", dependencies: ["CLibGPS"]),
    .executableTarget(name: "line-server"),
    .executableTarget(
      name: "async-location-loop",
      dependencies: [
        .product(name: "AsyncLocation", package: "async-location"),
        .product(name: "GPSDBackend", package: "async-location"),
      ]),
  ]
)
