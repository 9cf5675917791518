// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "stops-on-sigterm",
  dependencies: [.package(name: "async-location", path: "../..")],
  targets: [
    .executableTarget(
      name: "stops-on-sigterm",
      dependencies: [
        .product(name: "AsyncLocation", package: "async-location"),
        .product(name: "GPSDBackend", package: "async-location"),
      ]),
    .testTarget(name: "StopsOnSIGTERMTests", dependencies: ["stops-on-sigterm"]),
  ]
)
