// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "fleet-server",
  dependencies: [
    .package(name: "async-location", path: "../.."),
    .package(path: "../program-run"),
  ],
  targets: [
    .systemLibrary(
      name: "CMicroHTTPD",
      pkgConfig: "libmicrohttpd",
      providers: [.apt(["libmicrohttpd-dev"])]),
    .target(
      name: "FleetService",
      dependencies: [
        "CMicroHTTPD",
        .product(name: "AsyncLocation", package: "async-location"),
        .product(name: "LocationRecording", package: "async-location"),
        .product(name: "MQTTBackend", package: "async-location"),
      ]),
    .executableTarget(
      name: "fleet-server",
      dependencies: [
        "FleetService",
        .product(name: "AsyncLocation", package: "async-location"),
        .product(name: "LocationStorage", package: "async-location"),
        .product(name: "MQTTBackend", package: "async-location"),
        .product(name: "PostgreSQLStorage", package: "async-location"),
      ]),
    .testTarget(
      name: "FleetServiceTests",
      dependencies: [
        "FleetService", "fleet-server",
        .product(name: "ProgramRun", package: "program-run"),
        .product(name: "AsyncLocation", package: "async-location"),
        .product(name: "LocationStorage", package: "async-location"),
        .product(name: "MQTTBackend", package: "async-location"),
      ]),
  ]
)
