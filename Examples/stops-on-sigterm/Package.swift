// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "stops-on-sigterm",
  dependencies: [
    .package(name: "async-location", path: "../.."),
    .package(path: "../program-run"),
  ],
  targets: [
    .executableTarget(
      name: "stops-on-sigterm",
      dependencies: [
        .product(name: "AsyncLocation", package: "async-location"),
        .product(name: "GPSDBackend", package: "async-location"),
      ]),
    .testTarget(
      name: "StopsOnSIGTERMTests",
      dependencies: ["stops-on-sigterm", .product(name: "ProgramRun", package: "program-run")]),
  ]
)
